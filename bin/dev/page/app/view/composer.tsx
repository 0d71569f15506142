/** Where one writes: Enter sends, Shift+Enter begins a line. What was refused stays to be sent again. */
import { useEffect, useState } from 'preact/hooks';

type ComposerProps = {
  readonly label: string;
  readonly tries: readonly string[];
  send(text: string): Promise<void>;
};

const FIELD = 'words';
export const focusComposer = (): void => document.getElementById(FIELD)?.focus();

export function Composer({ label, tries, send }: ComposerProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  // Another place was chosen in order to say something there.
  useEffect(focusComposer, []);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (!text.trim()) return;
    setText('');
    setProblem(undefined);
    try {
      await send(text);
    } catch (error) {
      setText((now) => now || text);
      setProblem((error as Error).message);
    }
  };

  return (
    <form class="composer" onSubmit={(event) => void submit(event)}>
      <div class="tries">
        <span id="tries">Try</span>
        <ul aria-labelledby="tries">
          {tries.map((words) => (
            <li key={words}>
              <button
                type="button"
                class="try"
                onClick={() => {
                  setText(words);
                  focusComposer();
                }}
              >
                {words}
              </button>
            </li>
          ))}
        </ul>
      </div>
      <div class="field">
        <textarea
          id={FIELD}
          rows={1}
          aria-label={label}
          aria-describedby={problem === undefined ? undefined : 'problem'}
          placeholder={label}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) void submit(event);
          }}
        />
        <button type="submit" class="primary send">
          Send
        </button>
      </div>
      {problem !== undefined && (
        <p id="problem" class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
