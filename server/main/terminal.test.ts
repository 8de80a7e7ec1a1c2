import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { Terminal, dayAndTime } from './terminal.ts';

class Sheet extends Writable {
  readonly isTTY = true;
  readonly columns?: number;
  text = '';
  constructor(columns?: number) {
    super();
    if (columns !== undefined) this.columns = columns;
  }
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

test('a terminal that knows no size is taken for a wide one', () => {
  for (const columns of [0, undefined]) expect(new Terminal(new Sheet(columns), new Sheet(), {}).width).toBe(120);
  expect(new Terminal(new Sheet(80), new Sheet(), {}).width).toBe(80);
});

test('colour is for terminals that want it', () => {
  const red = (variables: NodeJS.ProcessEnv): string => new Terminal(new Sheet(80), new Sheet(), variables).red('x');
  expect(red({})).toBe('\u001b[31mx\u001b[39m');
  expect([red({ NO_COLOR: '1' }), red({ TERM: 'dumb' })]).toEqual(['x', 'x']);
});

test('a time is told in the zone of the machine', () => {
  expect(dayAndTime(new Date(2026, 2, 5, 9, 7).getTime())).toBe('2026-03-05 09:07');
});
