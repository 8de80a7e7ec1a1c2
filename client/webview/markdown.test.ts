import { expect, test } from 'vitest';
import { fileTarget, linkTarget, markdownHtml } from './markdown.ts';

const html = (text: string): string => markdownHtml(text) ?? '';

test('Markdown is drawn', () => {
  expect(html('**bold** and `code`\n\n- a\n- b')).toBe(
    '<p><strong>bold</strong> and <code>code</code></p>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n',
  );
});

test('raw HTML is shown as it was written', () => {
  expect(html('<script>1</script> <img src=x onerror=1>')).toBe(
    '<p>&lt;script&gt;1&lt;/script&gt; &lt;img src=x onerror=1&gt;</p>\n',
  );
});

test('only web addresses and files are links, and no link has an address that the page itself would open', () => {
  const drawn = html(
    '[a](https://example.com/x) [b](src/a.ts#L12) [c](javascript:x) [d](command:x) [e](vscode://x) [f](data:text/html,x) [g](//x.invalid) [h](JaVaScRiPt:x)',
  );
  expect(drawn).toContain('data-href="https://example.com/x"');
  expect(drawn).toContain('data-path="src/a.ts" data-line="12"');
  for (const dead of [
    '[c](javascript:x)',
    '[d](command:x)',
    '[e](vscode://x)',
    '[f](data:text/html,x)',
    '[g](//x.invalid)',
    '[h](JaVaScRiPt:x)',
  ])
    expect(drawn).toContain(dead);
  expect(drawn).not.toMatch(/ href=/u);
});

test('pictures are named and not loaded', () => {
  expect(html('![alt](https://example.com/x.png)')).not.toMatch(/<img/u);
  expect(html('![alt](https://example.com/x.png)')).toContain('![alt](https://example.com/x.png)');
});

test('code that is surely a file can be opened', () => {
  expect(html('`src/checkout.ts:42`')).toContain('data-path="src/checkout.ts" data-line="42"');
  for (const code of ['npm test', 'pay()', 'a.b', 'order-<id>', '1.2.3', 'https://x.y/z.html'])
    expect(html(`\`${code}\``)).not.toContain('data-path');
});

test('a file name may carry a line, in the ways that agents write it', () => {
  expect(fileTarget('/a/b.ts:12:3')).toEqual({ path: '/a/b.ts', line: 12 });
  expect(fileTarget('b.ts#L5-L9')).toEqual({ path: 'b.ts', line: 5 });
  expect(fileTarget('C:\\a\\b.ts:7')).toEqual({ path: 'C:\\a\\b.ts', line: 7 });
  expect(fileTarget('')).toBeNull();
  expect(linkTarget('file:///etc/passwd')).toBeNull();
  expect(linkTarget('C:\\a\\b.ts')).toEqual({ path: 'C:\\a\\b.ts', line: null });
  expect(linkTarget('#heading')).toBeNull();
});

test('characters that reorder text are shown by name in Markdown too', () => {
  expect(html('a \u202Eb')).toBe('<p>a ⟨RLO⟩b</p>\n');
});

test('a text that is too long to be read as a page is not rendered as one', () => {
  expect(markdownHtml('x'.repeat(200_001))).toBeUndefined();
});

test('deeply nested Markdown is drawn in time', () => {
  const begun = performance.now();
  html(`${'> '.repeat(5000)}x\n\n${'*'.repeat(20_000)}\n\n${'['.repeat(20_000)}`);
  expect(performance.now() - begun).toBeLessThan(5000);
});
