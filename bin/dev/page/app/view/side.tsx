/** The left pane: the people one can be, and the places of the one that one is. All of it links, so tabs and Back work. */
import type { Person, Room } from '../../shown.ts';
import { hashOf, type Place } from '../model/address.ts';
import { Avatar, Mark } from './marks.tsx';
import { CHAT, CHAT_TITLE, titleOf } from './places.ts';

type SideProps = {
  readonly people: readonly Person[];
  readonly person: Person | undefined;
  readonly rooms: readonly Room[];
  readonly place: Place | undefined;
};

export function Side({ people, person, rooms, place }: SideProps) {
  return (
    <div class="side">
      <a class="brand" href={hashOf({})}>
        <Mark />
        Turnpike
      </a>
      {people.length > 0 && (
        <nav aria-labelledby="people">
          <h2 id="people">{person ? 'You are' : 'Sign in as'}</h2>
          <ul class="people">
            {people.map(({ name }) => (
              <li key={name}>
                <a
                  class="way"
                  href={hashOf({ as: name })}
                  aria-current={name === person?.name ? 'true' : undefined}
                >
                  <Avatar name={name} />
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {person && (
        <nav aria-labelledby="places">
          <h2 id="places">Rooms</h2>
          <ul class="places">
            {rooms.map((room) => (
              <PlaceLink
                key={room.id}
                as={person.name}
                to={{ kind: 'room', id: room.id }}
                here={place}
                name={titleOf(room)}
                about={room.kind === 'group' ? `group of ${room.members.length}` : 'direct'}
              />
            ))}
          </ul>
          <h2>Without Matrix</h2>
          <ul class="places">
            <PlaceLink as={person.name} to={CHAT} here={place} name={CHAT_TITLE} about="as an app" />
          </ul>
        </nav>
      )}
      <p class="foot">Runs on this machine only.</p>
    </div>
  );
}

type PlaceLinkProps = {
  readonly as: string;
  readonly to: Place;
  readonly here: Place | undefined;
  readonly name: string;
  readonly about: string;
};

function PlaceLink({ as, to, here, name, about }: PlaceLinkProps) {
  const isHere = here !== undefined && hashOf({ as, place: here }) === hashOf({ as, place: to });
  return (
    <li>
      <a class="way" href={hashOf({ as, place: to })} aria-current={isHere ? 'page' : undefined}>
        <span class="name">{name}</span>
        <span class="about">{about}</span>
      </a>
    </li>
  );
}
