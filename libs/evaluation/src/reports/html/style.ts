/** The page's style sheet. The content security policy allows only its hash. */
export const STYLE = `
:root{color-scheme:light dark;--page:#fff;--card:#f6f7f9;--line:#d9dde3;--text:#1c2430;--soft:#5b6675;--link:#1257b8;--bad:#b3261e;--bad-soft:#fde7e5;--good:#1b6b3a;--good-soft:#dff3e6;--warn:#8a5a00;--warn-soft:#fdf0d5}
@media(prefers-color-scheme:dark){:root{--page:#12161c;--card:#1b212a;--line:#333d4a;--text:#e6eaf0;--soft:#9aa7b7;--link:#7db4ff;--bad:#ff9d94;--bad-soft:#4a1e1b;--good:#7fd6a0;--good-soft:#173a26;--warn:#f0c064;--warn-soft:#40300f}}
*{box-sizing:border-box}
body{margin:0 auto;padding:24px 16px 64px;max-width:1100px;background:var(--page);color:var(--text);font:15px/1.5 system-ui,sans-serif}
h1{font-size:24px;line-height:1.25;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:17px;margin:32px 0 8px}
h3{font-size:15px;margin:16px 0 0;overflow-wrap:anywhere}
.row h3{margin:0}
p{margin:4px 0}
a{color:var(--link)}
.soft{color:var(--soft)}
.passed{color:var(--good)}
.failed{color:var(--bad)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{padding:5px 12px 5px 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;overflow-wrap:break-word}
td pre{min-width:120px}
th{color:var(--soft);font-weight:500}
.figures td{white-space:nowrap}
pre,code{font:13px/1.45 ui-monospace,Menlo,Consolas,monospace}
pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
del,ins{text-decoration:none;border-radius:2px}
del{background:var(--bad-soft);color:var(--bad)}
ins{background:var(--good-soft);color:var(--good)}
fieldset{border:0;margin:24px 0 0;padding:0;display:flex;flex-wrap:wrap;gap:6px 16px}
legend{float:left;margin-right:12px;padding:0;color:var(--soft)}
.row{border:1px solid var(--line);border-radius:8px;margin:0 0 12px;background:var(--card);padding:10px 14px}
.row header{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:baseline;margin-bottom:6px}
.tag{font-size:12px;font-weight:600;border-radius:4px;padding:1px 7px;background:var(--warn-soft);color:var(--warn)}
.newError .tag,.error .tag{background:var(--bad-soft);color:var(--bad)}
.fixed .tag{background:var(--good-soft);color:var(--good)}
.facts{display:grid;grid-template-columns:minmax(84px,auto) 1fr;gap:4px 14px;margin:0}
.facts dt{color:var(--soft);font-size:13px;overflow-wrap:anywhere;max-width:180px}
.facts dd{margin:0;min-width:0}
.sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(260px,1fr));gap:8px;margin:6px 0}
.side{border:1px solid var(--line);border-radius:6px;background:var(--page);padding:6px 10px;min-width:0}
.side b{display:block;font-size:12px;font-weight:500;color:var(--soft)}
details{margin:6px 0}
summary{cursor:pointer}
${['newError', 'error', 'changed', 'lowerScore', 'unknown', 'diverged', 'fixed', 'unchanged']
  .map((kind) => `body:has(#show-${kind}:checked) section.kind:not(.${kind}){display:none}`)
  .join('\n')}
@media print{fieldset{display:none}.row{break-inside:avoid}}
`;

/** SHA-256 of {@link STYLE} in base64; a test checks it. */
export const STYLE_HASH = '7LyLByoirg5yX50Y50iLMgxUa6foUxm3OZOn3aC9uyM=';
