/** What masking costs: the most that a hand-over carries, and texts made to slow it down against ordinary text of the same length. */
import { mask } from '../../server/baton/mask.ts';
import type { Line } from './lines.ts';

const carried = 8_000_000;
const sample = 1_000_000;

const ordinary = [
  'const total = cart.items.reduce((sum, item) => sum + item.price * item.count, 0);',
  '2026-09-10T10:02:33.123Z INFO [worker-3] queue=mail depth=12 took 31ms',
  '{"id":"toolu_01A09q90qw90lq917835","file_path":"/home/user/shop/src/cart.ts","ok":true}',
  'The total is wrong when an item has no tax: it is rounded before it is added.',
  ' M src/cart.ts | 12 ++++++------ commit 3f786850e387550fdab836ed7e6dc881de23001b',
].join('\n');

/** Beginnings of everything that the rules look for, which come to nothing. */
const hostile: readonly string[] = [
  'sk-',
  'eyJ',
  'password="',
  'token=',
  'a://b:',
  'http://a:b/',
  '-----BEGIN PRIVATE KEY-----\n',
  'A3-Q7MS29-',
  '123456789:',
  'kind: Secret\ndata:\n  a: ',
  'machine a login ',
  '<password>',
  'password%3D',
  'sk-ant-"+"',
  '$6$a$',
  '«masked:',
];

export function maskingLines(): readonly Line[] {
  msFor(ordinary, sample);
  const usual = msFor(ordinary, sample);
  const worst = Math.max(...hostile.map((unit) => msFor(unit, sample))) / usual;
  return [
    { name: 'masking 8 MB of a thread', value: msFor(ordinary, carried), unit: 'ms', goal: { most: 4000 } },
    { name: 'masking a text made to be slow, against an ordinary one, worst', value: worst, unit: 'times', goal: { most: 30 } },
  ];
}

/** Time of the processor, which other programs do not lengthen. */
function msFor(unit: string, size: number): number {
  const text = unit.repeat(Math.ceil(size / unit.length));
  const before = process.cpuUsage();
  mask(text, 'salt');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
