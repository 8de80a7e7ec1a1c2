/** Marks the found words in what is drawn, with CSS highlights: no element is changed, so nothing of a row is drawn anew. */

const most = 2000;

export function highlight(root: Element, words: readonly string[]): void {
  if (!('highlights' in CSS)) return;
  CSS.highlights.delete('loom-find');
  const sought = words.map((word) => word.toLowerCase()).filter((word) => word !== '');
  if (sought.length === 0) return;
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < most; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase();
    for (const word of sought) {
      for (let at = text.indexOf(word); at >= 0 && ranges.length < most; at = text.indexOf(word, at + word.length)) {
        if (at + word.length > (node.nodeValue ?? '').length) break;
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        ranges.push(range);
      }
    }
  }
  CSS.highlights.set('loom-find', new Highlight(...ranges));
}
