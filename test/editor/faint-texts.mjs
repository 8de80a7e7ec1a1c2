/** Texts that stand out too little from what is behind them. Handed to the page as it is: it may name nothing from outside itself. */

/**
 * Returns up to ten texts under `root` whose contrast with their background is below 3:1, WCAG's bound for large text: less
 * is unreadable at any size. What is dimmed on purpose (another line, disabled) and a program's own colours do not count.
 */
export function faintTexts(root) {
  // oxlint-disable unicorn/consistent-function-scoping
  const numbers = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const opaque = (colour) => colour.length >= 3 && (colour[3] ?? 1) > 0.9;
  const linear = (c) => (c <= 10 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r = 0, g = 0, b = 0]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (opaque(colour)) return colour;
    }
    return null;
  };
  const found = new Set();
  for (const element of root.querySelectorAll('article *, header *')) {
    const text = [...element.childNodes].filter((n) => n.nodeType === 3).map((n) => n.textContent.trim());
    if (text.join('') === '' || element.closest('.left, :disabled, pre.output') !== null) continue;
    const front = numbers(getComputedStyle(element).color);
    const back = behind(element);
    if (back === null || !opaque(front)) continue;
    const [dark, bright] = [light(front), light(back)].toSorted((a, b) => a - b);
    if ((bright + 0.05) / (dark + 0.05) < 3) found.add(`${text.join(' ').slice(0, 40)}: ${front.join(' ')} on ${back.join(' ')}`);
  }
  return [...found].slice(0, 10);
}
