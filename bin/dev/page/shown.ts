/** What the page is shown of the stand-in homeserver, as JSON from `page-api.ts`. Types only: both sides import them. */

export type Person = { readonly name: string; readonly user: string };

/** Empty with a real homeserver: its people speak in their own clients. */
export type People = { readonly people: readonly Person[] };

export type Room = {
  readonly id: string;
  readonly name: string;
  readonly kind: 'direct' | 'group';
  /** User ids of all who are joined. */
  readonly members: readonly string[];
};

export type Rooms = { readonly rooms: readonly Room[] };

/** What the gate made of a message. */
export type Decision = { readonly respond: boolean; readonly reason: string; readonly turn?: string };

export type Message = {
  readonly event: string;
  readonly sender: string;
  /** As it stands after the last edit. */
  readonly text: string;
  /** `origin_server_ts`, ms. */
  readonly at: number;
  /** Of a person's message, once there is one. */
  readonly decision?: Decision;
  /** Of a message that the agent sent: the turn it belongs to. */
  readonly turn?: string;
};

/** The newest messages of a room, oldest first. */
export type Timeline = { readonly messages: readonly Message[] };
