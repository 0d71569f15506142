/** Which addresses share a limit. */
import { expect, it } from 'vitest';
import { networkOf } from '../../functions/access/network.ts';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8:1::1', '2001:db8:1:0'],
  ['2001:db8:0:0::1', '2001:db8:0:0'],
  ['1::3:4:5:6:7:8', '1:0:3:4'],
  ['::1', '0:0:0:0'],
  ['::', '0:0:0:0'],
  ['unknown', 'unknown'],
  ['', ''],
  ['1:2:3:4:5:6:7:8::9', '1:2:3:4'],
])('%s is in %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
