/** Unpacks to the temporary folder: `TMPDIR` of this process. */
import chromium from '@sparticuz/chromium';

await chromium.executablePath();
