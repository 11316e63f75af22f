import type { Reply } from '../route.ts';

/** A minimal version of Fintoc's widget for web pages: a dialog with the bank's name that the user approves or closes. */
const script = `
const { origin } = new URL(document.currentScript.src);
window.Fintoc = {
  create({ publicKey, widgetToken, onSuccess, onExit }) {
    if (!publicKey || !widgetToken) throw new Error('publicKey and widgetToken are required.');
    const dialog = document.createElement('div');
    dialog.setAttribute('role', 'dialog');
    dialog.style.cssText = 'position: fixed; inset: 20vh 20vw; padding: 2rem; background: #fff; color: #000; border: 1px solid #888';
    dialog.append('Banco Sandbox ');
    const addButton = (text, act) => {
      const button = document.createElement('button');
      button.textContent = text;
      button.onclick = act;
      dialog.append(button);
    };
    addButton('approve', async () => {
      const response = await fetch(origin + '/fintoc/widget/' + widgetToken + '/end');
      dialog.remove();
      onSuccess(await response.json());
    });
    addButton('close', () => {
      dialog.remove();
      onExit();
    });
    return { open: () => document.body.append(dialog), destroy: () => dialog.remove() };
  },
};
`;

export const widgetScript: Reply = {
  status: 200,
  headers: { 'content-type': 'text/javascript; charset=utf-8' },
  body: script,
};
