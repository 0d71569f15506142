/** The inbox's port to memory, by the memory module. */
import type { Memory } from '../../inbox/ports.ts';
import { capture, type MemoryDeps } from '../../memory/buffer.ts';
import { erase } from '../../memory/erase.ts';
import { leaveRoom, returnToRoom } from '../../memory/leave.ts';
import { getMessage, putEdit, redactEdit } from '../../memory/messages.ts';

/** `keepAfterLeaveMs`: how long the memory of a room outlives our leaving it. */
export function memoryPort(deps: MemoryDeps, keepAfterLeaveMs: number): Memory {
  const place = (room: string) => ({ tenant: deps.tenant, room });
  return {
    capture: (room, messages, now) => capture(deps, room, messages, now),
    edit: (room, edit, now) => putEdit(deps.table, place(room), edit, now),
    redactEdit: (room, target, edit, now) => redactEdit(deps.table, place(room), target, edit, now),
    erase: (room, event, now) => erase(deps, room, event, now),
    left: (room, now) => leaveRoom(deps, room, now + keepAfterLeaveMs),
    returned: (room) => returnToRoom(deps, room),
    senderOf: async (room, event) =>
      (await getMessage(deps.table, place(room), event))?.sn as string | undefined,
  };
}
