/**
 * Terminal output as pieces of text with colours. Only colours and weights are taken from escape sequences; every other
 * sequence (cursor, title, links, clipboard) is dropped with its parameters, so that output can colour but never control.
 * A carriage return begins its line again, as progress bars do.
 */
import { visible } from '../plain-text.ts';

export interface Piece {
  readonly text: string;
  /** Classes of timeline.css: `fg-0`..`fg-15`, `bg-0`..`bg-15`, `bold`, `dim`, `italic`, `underline`, `inverse`, `struck`. */
  readonly classes: readonly string[];
}

interface Pen {
  fg: number | null;
  bg: number | null;
  readonly marks: Set<string>;
}

/** CSI, OSC and other strings up to their end or that of the line (one that never ends must not hide the rest), two-character escapes, and a lone C1 CSI. */
const sequence =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)([0-?]*)[ -/]*([@-~])|\u001b[\]PX^_][^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]|\u001b/gu;

export function ansiPieces(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  const pen: Pen = { fg: null, bg: null, marks: new Set() };
  let from = 0;
  const put = (raw: string): void => {
    const clean = visible(raw);
    if (clean === '') return;
    const classes = classesOf(pen);
    const last = pieces.at(-1);
    if (last !== undefined && last.classes.join() === classes.join())
      pieces[pieces.length - 1] = { text: last.text + clean, classes };
    else pieces.push({ text: clean, classes });
  };
  const lines = overwritten(text);
  for (const match of lines.matchAll(sequence)) {
    put(lines.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[2] === 'm') draw(pen, match[1] ?? '');
  }
  put(lines.slice(from));
  return pieces;
}

/** The text without its escape sequences. */
export function withoutAnsi(text: string): string {
  return visible(overwritten(text).replace(sequence, ''));
}

/** Of a line that was written over and over, the last writing stays. */
function overwritten(text: string): string {
  if (!text.includes('\r')) return text;
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => {
      const end = line.endsWith('\r') ? line.slice(0, -1) : line;
      return end.slice(end.lastIndexOf('\r') + 1);
    })
    .join('\n');
}

function classesOf(pen: Pen): readonly string[] {
  return [...(pen.fg === null ? [] : [`fg-${pen.fg}`]), ...(pen.bg === null ? [] : [`bg-${pen.bg}`]), ...pen.marks];
}

/** Select Graphic Rendition (ECMA-48 8.3.117); 256-colour and direct colours are brought to the 16 of the theme. */
function draw(pen: Pen, parameters: string): void {
  const codes = parameters.split(/[;:]/u).map((part) => (part === '' ? 0 : Number(part)));
  for (let i = 0; i < codes.length; i += 1) {
    const code = codes[i] ?? 0;
    if (code === 38 || code === 48) {
      const direct = codes[i + 1] === 2;
      const color = direct ? nearest(codes[i + 2] ?? 0, codes[i + 3] ?? 0, codes[i + 4] ?? 0) : fromPalette(codes[i + 2] ?? 0);
      i += direct ? 4 : 2;
      if (code === 38) pen.fg = color;
      else pen.bg = color;
    } else if (code === 0) {
      pen.fg = null;
      pen.bg = null;
      pen.marks.clear();
    } else if (code >= 30 && code <= 37) pen.fg = code - 30;
    else if (code >= 90 && code <= 97) pen.fg = code - 82;
    else if (code >= 40 && code <= 47) pen.bg = code - 40;
    else if (code >= 100 && code <= 107) pen.bg = code - 92;
    else if (code === 39) pen.fg = null;
    else if (code === 49) pen.bg = null;
    else if (code === 22) {
      pen.marks.delete('bold');
      pen.marks.delete('dim');
    } else {
      const on = marksOn.get(code);
      const off = marksOff.get(code);
      if (on !== undefined) pen.marks.add(on);
      if (off !== undefined) pen.marks.delete(off);
    }
  }
}

const marksOn: ReadonlyMap<number, string> = new Map([
  [1, 'bold'],
  [2, 'dim'],
  [3, 'italic'],
  [4, 'underline'],
  [7, 'inverse'],
  [9, 'struck'],
]);
const marksOff: ReadonlyMap<number, string> = new Map([
  [23, 'italic'],
  [24, 'underline'],
  [27, 'inverse'],
  [29, 'struck'],
]);

/** xterm's palette: 16 colours, a 6x6x6 cube, 24 greys. */
function fromPalette(index: number): number {
  if (index < 16) return Math.max(0, index);
  if (index >= 232) return nearest(8 + (index - 232) * 10, 8 + (index - 232) * 10, 8 + (index - 232) * 10);
  const cube = index - 16;
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

function level(step: number): number {
  return step === 0 ? 0 : 55 + step * 40;
}

function nearest(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  const least = Math.min(red, green, blue);
  if (most - least < 40) return most < 50 ? 0 : most < 130 ? 8 : most < 210 ? 7 : 15;
  const half = (most + least) / 2;
  const base = (red > half ? 1 : 0) + (green > half ? 2 : 0) + (blue > half ? 4 : 0);
  return most > 200 ? base + 8 : base;
}
