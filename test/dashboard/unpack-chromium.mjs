/** Unpacks into `TMPDIR` of this process. */
import chromium from '@sparticuz/chromium';

await chromium.executablePath();
