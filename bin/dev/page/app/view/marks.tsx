/** Small drawings. They say nothing that does not stand beside them in words. */

export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M9 24V11M9 14l15-5" />
    </svg>
  );
}

/** The agent has none of the people's colours. */
export function Avatar({ name, isAgent = false }: { readonly name: string; readonly isAgent?: boolean }) {
  const hue = [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 5;
  return (
    <span class={isAgent ? 'avatar agent' : `avatar hue-${hue}`} aria-hidden="true">
      {isAgent ? '✳' : name.slice(0, 1).toUpperCase()}
    </span>
  );
}
