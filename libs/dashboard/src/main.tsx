import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App, loadFirst } from './app/app.js';
import { applyTheme, storedTheme } from './app/theme.js';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './shared/styles/tokens.css';
import './shared/styles/base.css';
import './shared/styles/controls.css';
import './shared/styles/tables.css';

/** The first render waits so long for data: rendering a loading state first would delay the rows. */
const LONGEST_BLANK_MS = 150;

applyTheme(storedTheme());
const root = document.getElementById('root');
if (root) {
  const longest = new Promise((resolve) => {
    setTimeout(resolve, LONGEST_BLANK_MS);
  });
  void Promise.race([loadFirst(), longest]).then(() => {
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    );
  });
}
