import { expect, test } from 'vitest';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { cleanText } from './clean-text.ts';
import { blockQuote, codeSpan, fenced, inlineText } from './quote.ts';

const markdown = new MarkdownIt();
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '`',
        '```',
        '````',
        '~~~',
        '\n',
        '\r',
        '\u2028',
        '\n\n',
        '> ',
        '# ',
        '- ',
        '    ',
        '</details>',
        '<!--',
        '-->',
        '<user>',
        '\t',
        '[e1]',
        '\\',
        '&#96;',
      ),
      fc.string({ maxLength: 6, unit: 'binary' }),
    ),
    { maxLength: 20 },
  )
  .map((parts) => cleanText(parts.join('')));
const runs = { seed: 11, numRuns: 3000 };

test('no text closes the fence that it is quoted in', () => {
  fc.assert(
    fc.property(text, (inner) => {
      const tokens = markdown.parse(`${fenced(inner, 'tool output')}\n\nafter\n`, {});
      expect(tokens.map((token) => token.type)).toEqual(['fence', 'paragraph_open', 'inline', 'paragraph_close']);
      expect(tokens[0]?.content).toBe(`${inner}\n`);
      expect(tokens[0]?.info).toBe('quoted tool output');
    }),
    runs,
  );
});

test('no text gets out of a code span', () => {
  fc.assert(
    fc.property(text, (inner) => {
      const tokens = markdown.parse(`before ${codeSpan(inner)} after`, {});
      expect(tokens.map((token) => token.type)).toEqual(['paragraph_open', 'inline', 'paragraph_close']);
      expect(tokens[1]?.children?.map((child) => child.type)).toEqual(['text', 'code_inline', 'text']);
    }),
    runs,
  );
});

test('no text gets out of a block quotation', () => {
  fc.assert(
    fc.property(text, (inner) => {
      const tokens = markdown.parse(`${blockQuote(inner)}\n\nafter\n`, {});
      const outer = tokens.filter((token) => token.level === 0).map((token) => token.type);
      expect(outer).toEqual(['blockquote_open', 'blockquote_close', 'paragraph_open', 'paragraph_close']);
    }),
    runs,
  );
});

test('a sentence in a bullet opens no block of its own', () => {
  fc.assert(
    fc.property(text, (inner) => {
      const line = inlineText(inner);
      fc.pre(line !== '');
      const tokens = markdown.parse(`- ${line} [e1]\n- second\n`, {});
      expect(tokens.filter((token) => token.type === 'list_item_open').length).toBeGreaterThanOrEqual(2);
      expect(tokens.some((token) => token.type === 'fence' || token.type === 'heading_open' || token.type === 'html_block')).toBe(
        false,
      );
    }),
    runs,
  );
});
