/** The page: who one is and where one may go on the left, what is said there on the right. */
import { hashOf } from '../model/address.ts';
import { people, rooms } from '../model/dev-host.ts';
import { useAddress, useLoaded } from './hooks.ts';
import { viewOf } from './places.ts';
import { Side } from './side.tsx';
import { Talk } from './talk.tsx';
import { Welcome } from './welcome.tsx';

const loadPeople = () => people();

/** Direct rooms first. */
const loadRooms = async (as: string) =>
  (await rooms(as)).toSorted((a, b) => Number(b.kind === 'direct') - Number(a.kind === 'direct'));

export function App() {
  const address = useAddress();
  const known = useLoaded('people', loadPeople);
  const person = known.value?.find(({ name }) => name === address.as);
  const theirs = useLoaded(person?.name, loadRooms);
  const [first] = theirs.value ?? [];
  const place = address.place ?? (first && ({ kind: 'room', id: first.id } as const));
  const problem = known.problem ?? theirs.problem;
  const isLoading =
    problem === undefined && address.as !== undefined && (person ? !theirs.value : !known.value);
  return (
    <div class="frame">
      <Side people={known.value ?? []} person={person} rooms={theirs.value ?? []} place={place} />
      {isLoading ? (
        <main />
      ) : person && place && theirs.value ? (
        <Talk
          key={hashOf({ as: person.name, place })}
          user={person.user}
          address={{ ...address, place }}
          view={viewOf(place, person, theirs.value)}
        />
      ) : (
        <Welcome people={known.value} problem={problem} />
      )}
    </div>
  );
}
