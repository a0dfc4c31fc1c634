/** Unpacks to the temporary folder, which is `TMPDIR` of this process. */
import chromium from '@sparticuz/chromium';

await chromium.executablePath();
