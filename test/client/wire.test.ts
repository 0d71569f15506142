/** The package's own types are those of the wire: this file does not compile otherwise. */
import { expect, it } from 'vitest';
import type * as client from '../../functions/client/wire.ts';
import type * as events from '../../functions/turns/events.ts';
import type { Status } from '../../functions/turns/head.ts';
import type * as lines from '../../functions/turns/lines.ts';
import type { WhenBusy } from '../../functions/work/start-here.ts';

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : { differ: [A, B] };

const equal: [
  Equal<client.TurnEvent, events.TurnEvent>,
  Equal<client.Message, events.Message>,
  Equal<client.Usage, events.Usage>,
  Equal<client.EndStatus, events.EndStatus>,
  Equal<client.Choice, events.Choice>,
  Equal<client.Line, lines.Line>,
  Equal<client.LogLine, lines.LogLine>,
  Equal<client.ControlLine, lines.ControlLine>,
  Equal<client.Status, Status>,
  Equal<client.WhenBusy, WhenBusy>,
] = [true, true, true, true, true, true, true, true, true, true];

it('is held equal by the compiler', () => {
  expect(equal.every(Boolean)).toBe(true);
});
