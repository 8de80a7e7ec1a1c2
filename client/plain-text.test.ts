import { expect, test } from 'vitest';
import { baseName, label, oneLine, shortPath, visible } from './plain-text.ts';

test('ordinary text, in any script, is left as it is', () => {
  const text = 'naïve Ünïcode 日本語 עברית\n\tتجربة 👩‍💻 🏳️‍🌈';
  expect(visible(text)).toBe(text);
});

test('characters that reorder or hide text are shown by name', () => {
  expect(visible('\u202Eevil\u202C')).toBe('⟨RLO⟩evil⟨PDF⟩');
  expect(visible('a\u2066x\u2069b\u200Bc\uFEFFd')).toBe('a⟨LRI⟩x⟨PDI⟩b⟨ZWSP⟩c⟨BOM⟩d');
  expect(visible('safe\u{E0041}')).toContain('⟨TAG⟩');
});

test('control characters go, and a lone carriage return is a line break', () => {
  expect(visible('a\u0000b\u0007c\u001b[31md\u009be')).toBe('abc[31mde');
  expect(visible('one\r\ntwo\rthree')).toBe('one\ntwo\nthree');
});

test('a long text becomes one line that ends with an ellipsis', () => {
  expect(oneLine('  Fix\n\n the\trace  ', 40)).toBe('Fix the race');
  expect(oneLine('abcdefghij', 5)).toBe('abcd…');
  expect(oneLine('👩👩👩👩👩👩', 4)).toBe('👩👩👩…');
  expect(oneLine(' '.repeat(1000), 5)).toBe('…');
});

test('a title cannot draw an icon or become a command link in a label', () => {
  expect(label('$(trash) [click](command:workbench.action.quit)', 80)).not.toMatch(/\$\(|\]\(/u);
});

test('a path is shortened with either separator', () => {
  expect(shortPath('/home/user/work/shop')).toBe('…/work/shop');
  expect(shortPath('C:\\Users\\ada\\shop')).toBe('…/ada/shop');
  expect(baseName('C:\\Users\\ada\\shop\\')).toBe('shop');
});
