/** What a newcomer sees first: who to be, and what to try. */
import type { Person } from '../../shown.ts';
import { hashOf } from '../model/address.ts';
import { Avatar } from './marks.tsx';

type WelcomeProps = { readonly people: readonly Person[] | undefined; readonly problem: string | undefined };

export function Welcome({ people, problem }: WelcomeProps) {
  return (
    <main class="welcome">
      <h1>Your Turnpike runs.</h1>
      {problem !== undefined && <p class="problem">{problem}</p>}
      {people?.length === 0 ? (
        <p class="lead">
          It works with a real homeserver, whose people speak in their own clients: invite the agent there.
        </p>
      ) : (
        <SignIn people={people ?? []} />
      )}
    </main>
  );
}

function SignIn({ people }: { readonly people: readonly Person[] }) {
  return (
    <>
      <p class="lead">
        A homeserver, the gate, queues, workers and the turn log, all on this machine. Sign in as one of its
        people and talk to the agent.
      </p>
      <ul class="cards">
        {people.map(({ name, user }) => (
          <li key={name}>
            <a class="card" href={hashOf({ as: name })}>
              <Avatar name={name} />
              <span class="name">{name}</span>
              <span class="about">{user}</span>
            </a>
          </li>
        ))}
      </ul>
      <h2>What to try</h2>
      <ul class="tries">
        <li>Say hello in the direct room, and watch the answer come word by word.</li>
        <li>Say something in the lobby: the gate answers only what mentions @agent.</li>
        <li>Drop the connection in the middle of an answer, then resume it.</li>
        <li>Open the same turn in a second tab, or stop it.</li>
      </ul>
    </>
  );
}
