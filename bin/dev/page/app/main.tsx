/** Puts the page into its document. */
import { render } from 'preact';
import { App } from './view/app.tsx';

render(<App />, document.querySelector('#page')!);
