/** The webview's entry: connects the one timeline of the page to its panel. */
import { connectHost } from './host.ts';
import { Timeline } from './timeline.ts';

customElements.define('loom-timeline', Timeline);
document.body.replaceChildren(new Timeline(connectHost()));
