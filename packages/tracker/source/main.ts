import { attempt } from './attempt.ts';
import { readSettings } from './settings.ts';
import { begin } from './start.ts';

const tag = document.currentScript || document.querySelector('script[data-key^="trk_"]');

attempt(() => begin(readSettings(tag as HTMLScriptElement, location.href)));
