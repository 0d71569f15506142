/**
 * The application service as the homeserver sees it: its registration, and which users, aliases and rooms its
 * namespaces name. As in Synapse a regex is matched at the start only, and a users namespace names local users only
 * (https://spec.matrix.org/v1.16/application-service-api/#registration).
 */

export type Namespace = { readonly exclusive: boolean; readonly regex: string };

export type Registration = {
  readonly id: string;
  /** Where it is called; a path is kept, without a slash at its end. */
  readonly url: string;
  readonly as_token: string;
  readonly hs_token: string;
  readonly sender_localpart: string;
  readonly namespaces: {
    readonly users?: readonly Namespace[];
    readonly aliases?: readonly Namespace[];
    readonly rooms?: readonly Namespace[];
  };
  /** Typing and receipts are pushed too; off by default. */
  readonly receive_ephemeral?: boolean;
};

export type Service = {
  readonly registration: Registration;
  readonly sender: string;
  /** The sender, or a local user of a users namespace. */
  isOurs(user: string): boolean;
  /** Nobody else may register it. */
  reservesUser(user: string): boolean;
  isOurAlias(alias: string): boolean;
  reservesAlias(alias: string): boolean;
  isOurRoom(room: string): boolean;
};

export function serviceOf(registration: Registration, serverName: string): Service {
  const { users = [], aliases = [], rooms = [] } = registration.namespaces;
  const sender = `@${registration.sender_localpart}:${serverName}`;
  const isLocal = (id: string) => id.endsWith(`:${serverName}`);
  const ourUser = matcher(users);
  const reservedUser = matcher(users.filter(({ exclusive }) => exclusive));
  return {
    registration,
    sender,
    isOurs: (user) => user === sender || (isLocal(user) && ourUser(user)),
    reservesUser: (user) => user === sender || (isLocal(user) && reservedUser(user)),
    isOurAlias: matcher(aliases),
    reservesAlias: matcher(aliases.filter(({ exclusive }) => exclusive)),
    isOurRoom: matcher(rooms),
  };
}

function matcher(namespaces: readonly Namespace[]): (id: string) => boolean {
  const expressions = namespaces.map(({ regex }) => new RegExp(`^(?:${regex})`));
  return (id) => expressions.some((expression) => expression.test(id));
}
