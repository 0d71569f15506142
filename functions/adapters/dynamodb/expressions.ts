/**
 * Translates the table port's conditions and changes into DynamoDB expressions. Names and values always travel as
 * placeholders, so no attribute name can be a reserved word and no value can be syntax.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Change, Condition, Row, Value } from '../../runtime/table.ts';

export function toAttribute(value: Value): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'boolean') return { BOOL: value };
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`not a number a store can keep: ${value}`);
    return { N: String(value) };
  }
  if (value.size === 0) throw new TypeError('a string set cannot be empty: leave the attribute out');
  return { SS: [...value] };
}

function fromAttribute(name: string, value: AttributeValue): Value {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return Number(value.N);
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.SS !== undefined) return new Set(value.SS);
  throw new TypeError(`attribute ${name} has a type this program never writes`);
}

export function toItem(row: Row): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toAttribute(value)]));
}

export function fromItem(item: Record<string, AttributeValue>): Row {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, fromAttribute(name, value)]),
  ) as unknown as Row;
}

/** Collects the placeholders of one request. */
export function placeholders() {
  const names = new Map<string, string>();
  const values: Record<string, AttributeValue> = {};
  let count = 0;
  return {
    name(name: string): string {
      const placeholder = names.get(name) ?? `#${names.size}`;
      names.set(name, placeholder);
      return placeholder;
    },
    value(value: Value): string {
      const placeholder = `:${count++}`;
      values[placeholder] = toAttribute(value);
      return placeholder;
    },
    /** The two maps, each left out when empty: DynamoDB refuses an empty one. */
    maps() {
      return {
        ...(names.size > 0 && {
          ExpressionAttributeNames: Object.fromEntries([...names].map(([name, key]) => [key, name])),
        }),
        ...(count > 0 && { ExpressionAttributeValues: values }),
      };
    },
  };
}

type Placeholders = ReturnType<typeof placeholders>;

export function conditionText(condition: Condition, at: Placeholders): string {
  switch (condition.is) {
    case 'absent':
      return `attribute_not_exists(${at.name(condition.name)})`;
    case 'present':
      return `attribute_exists(${at.name(condition.name)})`;
    case 'in':
      return `${at.name(condition.name)} IN (${condition.values.map((value) => at.value(value)).join(', ')})`;
    case 'contains':
      return `contains(${at.name(condition.name)}, ${at.value(condition.value)})`;
    case 'smaller':
      return `size(${at.name(condition.name)}) < ${at.value(condition.than)}`;
    case 'all':
    case 'any': {
      const parts = condition.of.map((part) => conditionText(part, at));
      // DynamoDB refuses redundant parentheses, so a single part stands alone.
      return parts.length === 1 ? parts[0]! : `(${parts.join(condition.is === 'all' ? ' AND ' : ' OR ')})`;
    }
    default:
      return `${at.name(condition.name)} ${condition.is} ${at.value(condition.value)}`;
  }
}

export function changeText(change: Change, at: Placeholders): string {
  const given = (entries: Readonly<Record<string, Value | undefined>> = {}) =>
    Object.entries(entries).filter((entry): entry is [string, Value] => entry[1] !== undefined);
  const set = [
    ...given(change.set).map(([name, value]) => `${at.name(name)} = ${at.value(value)}`),
    ...given(change.init).map(
      ([name, value]) => `${at.name(name)} = if_not_exists(${at.name(name)}, ${at.value(value)})`,
    ),
  ];
  const add = given(change.add).map(([name, value]) => `${at.name(name)} ${at.value(value)}`);
  const remove = (change.remove ?? []).map((name) => at.name(name));
  return [
    set.length > 0 && `SET ${set.join(', ')}`,
    add.length > 0 && `ADD ${add.join(', ')}`,
    remove.length > 0 && `REMOVE ${remove.join(', ')}`,
  ]
    .filter((clause) => clause !== false)
    .join(' ');
}
