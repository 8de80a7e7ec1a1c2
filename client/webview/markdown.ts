/**
 * Markdown of prompts and answers as HTML that can do nothing: no raw HTML, no links but web addresses and files, and
 * those only as marked text that the page hands to its panel; images are named, not loaded. What is not allowed stays
 * literally as it was written. The result still goes through the sanitiser (sanitised.ts).
 */
import MarkdownIt from 'markdown-it';
import { visible } from '../plain-text.ts';

/** Longer texts are shown as plain text: nobody reads them as a page, and they would hold up the timeline. */
const longest = 200_000;

/** undefined: too long to be rendered. */
export function markdownHtml(text: string): string | undefined {
  return text.length > longest ? undefined : markdown.render(visible(text));
}

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false, breaks: true });

/** What a link of a transcript may mean. null: nothing; it stays text. */
export function linkTarget(
  href: string,
): { readonly url: string } | { readonly path: string; readonly line: number | null } | null {
  if (/^https?:\/\//iu.test(href)) return { url: href };
  const scheme = /^[a-z][a-z0-9+.-]*:/iu.exec(href);
  const drive = /^[a-z]:[\\/]/iu.test(href);
  if (
    (scheme !== null && !drive && !/^[^/\\]+\.[a-z0-9]+:\d+(?::\d+)?$/iu.test(href)) ||
    href.startsWith('#') ||
    href.startsWith('//')
  )
    return null;
  return fileTarget(decoded(href));
}

/** "src/a.ts", "src/a.ts:12", "src/a.ts:12:3", "src/a.ts#L12". */
export function fileTarget(name: string): { readonly path: string; readonly line: number | null } | null {
  const match = /^(.+?)(?:#L(\d+)(?:-L?\d+)?|:(\d+)(?:[:-]\d+)?)?$/u.exec(name);
  const path = match?.[1];
  if (path === undefined || path.trim() === '') return null;
  const line = match?.[2] ?? match?.[3];
  return { path, line: line === undefined ? null : Number(line) };
}

/** Inline code that is surely a file's name: no spaces, an extension, and a folder or a line number or a known ending. */
function looksLikeFile(code: string): boolean {
  return (
    code.length < 300 &&
    /^(?:[\w@.~-]*[\\/])*[\w@.-]*[\w@-]\.[a-z][a-z0-9]{0,7}(?::\d+(?::\d+)?)?$/iu.test(code) &&
    (/[\\/]/u.test(code) || /:\d/u.test(code))
  );
}

markdown.validateLink = (href) => linkTarget(href) !== null;
markdown.normalizeLink = (href) => href;
markdown.normalizeLinkText = (text) => text;

markdown.renderer.rules['link_open'] = (tokens, index) => {
  const href = String(tokens[index]?.attrGet('href') ?? '');
  const target = linkTarget(href);
  const { escapeHtml } = markdown.utils;
  if (target === null) return '<span>';
  if ('url' in target)
    return `<a class="link" role="link" tabindex="0" data-href="${escapeHtml(target.url)}" title="${escapeHtml(target.url)}">`;
  return `<a class="link" role="link" tabindex="0" data-path="${escapeHtml(target.path)}" data-line="${target.line ?? ''}" title="${escapeHtml(href)}">`;
};
markdown.renderer.rules['link_close'] = () => '</a>';
markdown.renderer.rules['image'] = (tokens, index) => {
  const token = tokens[index];
  const { escapeHtml } = markdown.utils;
  return `<span class="image-name">![${escapeHtml(token?.content ?? '')}](${escapeHtml(String(token?.attrGet('src') ?? ''))})</span>`;
};
markdown.renderer.rules['code_inline'] = (tokens, index) => {
  const code = tokens[index]?.content ?? '';
  const { escapeHtml } = markdown.utils;
  const target = looksLikeFile(code) ? fileTarget(code) : null;
  if (target === null) return `<code>${escapeHtml(code)}</code>`;
  return `<code class="link" role="link" tabindex="0" data-path="${escapeHtml(target.path)}" data-line="${target.line ?? ''}">${escapeHtml(code)}</code>`;
};
markdown.renderer.rules['fence'] = (tokens, index) =>
  codeBlock(tokens[index]?.content ?? '', (tokens[index]?.info ?? '').trim().split(/\s+/u)[0] ?? '');
markdown.renderer.rules['code_block'] = (tokens, index) => codeBlock(tokens[index]?.content ?? '', '');

function codeBlock(code: string, language: string): string {
  const { escapeHtml } = markdown.utils;
  return `<div class="code" data-language="${escapeHtml(language)}"><button class="copy" type="button" data-copy="code" aria-label="Copy code">Copy</button><pre><code>${escapeHtml(code.replace(/\n$/u, ''))}</code></pre></div>\n`;
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}
