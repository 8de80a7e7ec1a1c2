/** The page of a timeline. Nothing runs in it but the bundled script, nothing is loaded from anywhere, nothing is sent. */

export interface PageParts {
  /** The webview's own source for resources, as VS Code names it. */
  readonly cspSource: string;
  readonly script: string;
  readonly style: string;
  /** Unguessable, new for every page. */
  readonly nonce: string;
  readonly language: string;
}

/** Every part is escaped, whatever it holds. */
export function timelinePage(parts: PageParts): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${parts.nonce}'`,
    `style-src ${parts.cspSource}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${escaped(parts.language)}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${escaped(parts.style)}">
<title>Thread</title>
</head>
<body>
<script nonce="${escaped(parts.nonce)}" src="${escaped(parts.script)}"></script>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
