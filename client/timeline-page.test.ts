import { expect, test } from 'vitest';
import { timelinePage } from './timeline-page.ts';

test('nothing runs in the page but the bundled script, and nothing is loaded from elsewhere', () => {
  const page = timelinePage({
    cspSource: 'https://own.example',
    script: 'https://own.example/t.js',
    style: 'https://own.example/t.css',
    nonce: 'abc',
    language: 'en',
  });
  expect(page).toContain(
    `content="default-src 'none'; script-src 'nonce-abc'; style-src https://own.example; img-src data:; base-uri 'none'; form-action 'none'"`,
  );
  expect(page.match(/<script/gu)).toHaveLength(1);
  expect(page).not.toMatch(/unsafe|<style| style=| on\w+=/u);
});

test('no part can break out of its attribute', () => {
  const evil = '"><script>1</script>';
  const page = timelinePage({ cspSource: evil, script: evil, style: evil, nonce: evil, language: evil });
  expect(page.match(/<script/gu)).toHaveLength(1);
});
