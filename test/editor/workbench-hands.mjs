/** What a person's hands do in the workbench, by the names and roles that it shows. Selectors as seen in VS Code 1.139. */
import fs from 'node:fs';

export class Hands {
  #settings;

  constructor(page, instance) {
    this.page = page;
    this.#settings = instance.settings;
  }

  /** The row of the list whose name has these words. */
  row(name) {
    return this.page.getByRole('treeitem', { name });
  }

  /** The timeline in front: a webview is a frame within a frame. */
  get timeline() {
    return this.page.frameLocator('iframe.webview.ready:visible').frameLocator('iframe#active-frame');
  }

  async openLoom() {
    await this.page.getByRole('tab', { name: /^Loom/ }).click({ timeout: 60_000 });
    await this.page.locator('.sidebar .title-label', { hasText: /loom/i }).waitFor();
  }

  /** Drags the edge between side bar and editors. */
  async widenSideBar(pixels) {
    const box = await this.page.locator('.part.sidebar').boundingBox();
    const [x, y] = [box.x + box.width + 1, box.y + box.height / 2];
    await this.page.mouse.move(x, y);
    await this.page.mouse.down();
    await this.page.mouse.move(x + pixels, y, { steps: 5 });
    await this.page.mouse.up();
  }

  /** Types into the command palette and takes the entry that is just that; Enter would take whatever is first at that moment. */
  async command(title) {
    await this.page.keyboard.press('F1');
    const input = this.page.locator('.quick-input-widget:visible input[type="text"]');
    await input.waitFor();
    await input.fill(`>${title}`);
    await this.pick(title);
  }

  async pick(words) {
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: words }).first().click();
  }

  async typeIntoPicker(words) {
    await this.page.locator('.quick-input-widget:visible input[type="text"]').fill(words);
  }

  async closeEditors() {
    await this.command('View: Close All Editors');
    await this.page.locator('.tabs-container .tab').first().waitFor({ state: 'detached' });
  }

  /** The settings file is watched: a new theme is drawn at once. */
  async theme(name) {
    const settings = JSON.parse(fs.readFileSync(this.#settings, 'utf8'));
    fs.writeFileSync(this.#settings, JSON.stringify({ ...settings, 'workbench.colorTheme': name }, null, 2));
    const kinds = { 'Light Modern': 'vs', 'Dark Modern': 'vs-dark', 'Default High Contrast': 'hc-black' };
    await this.page.locator(`.monaco-workbench.${kinds[name]}`).waitFor();
    await this.page.waitForTimeout(300);
  }
}
