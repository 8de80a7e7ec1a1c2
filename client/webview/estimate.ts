/** A guess of a row's height before it is drawn, in pixels: near enough that the scroll bar is honest. */
import type { Row } from './rows.ts';

/** `width`: of the text column. */
export function estimatedHeight(row: Row, width: number): number {
  switch (row.kind) {
    case 'prompt':
      return 56 + textHeight(row.entries[0].text, width);
    case 'answer':
      return 34 + row.entries.reduce((sum, entry) => sum + textHeight(entry.text, width), 0);
    case 'divider':
      return 46;
    case 'turn':
      return 36;
    case 'thinking':
    case 'tool':
    case 'aside':
    case 'notice':
    case 'plan':
      return 26;
    case 'marks':
      return 22;
  }
}

const lineHeight = 20;
const characterWidth = 7;

function textHeight(text: string, width: number): number {
  const perLine = Math.max(20, width / characterWidth);
  let breaks = 0;
  for (let at = text.indexOf('\n'); at >= 0 && breaks < 400; at = text.indexOf('\n', at + 1)) breaks += 1;
  return (Math.ceil(Math.min(text.length, 60_000) / perLine) + breaks * 0.6) * lineHeight;
}
