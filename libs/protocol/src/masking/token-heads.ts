/** No token that is known by its looks is shorter. */
export const SHORTEST_TOKEN = 20;

interface TokenKind {
  /** How its tokens begin: sources of regular expressions, the first two characters of each as they are. */
  readonly heads: readonly string[];
  /** What follows. */
  readonly rest: string;
}

/** Keys of providers. The one list of how they begin: whatever looks for them is made of it. */
export const PROVIDER_KEYS: readonly TokenKind[] = [
  { heads: ['sk[-_]', 'pk[-_]', 'rk[-_]'], rest: '[\\w-]+' },
  {
    heads: [
      ...['gh[opsur]_', 'github_pat_', 'glpat-', 'gsk_', 'hf_', 'npm_', 'xox[a-z]-', 'xai-', 'dop_v1_'],
      ...[
        'dckr_pat_',
        'pplx-',
        'GOCSPX-',
        'ya29\\.',
        'SG\\.',
        'dcp_',
        'lsv2_',
        'xapp-',
        'shp[a-z]{2}_',
        'hv[sbr]\\.',
        'pypi-',
      ],
      ...['whsec_', 'sntrys_', 'glsa_', 'r8_', 'tvly-', 'nvapi-', 'pcsk_'],
      ...[
        'glrt-',
        'gldt-',
        'glptt-',
        'glcbt-',
        'glsoat-',
        'glimt-',
        'HRKU-',
        'lin_api_',
        'ntn_',
        'figd_',
        'vck_',
      ],
      ...[
        'xkeysib-',
        'xsmtpsib-',
        'pscale_',
        'sbp_',
        'ATATT3',
        'sq0csp-',
        'sq0atp-',
        'fm2_',
        'AGE-SECRET-KEY-1',
      ],
      'EAACEdEose0cBA',
    ],
    rest: '[\\w.-]+',
  },
  // Of Twilio, of Mailgun, of Databricks.
  { heads: ['SK', 'key-', 'dapi'], rest: '[0-9a-f]{32}\\b' },
  // Of Stripe: a secret of one payment.
  { heads: ['pi_', 'seti_'], rest: '[A-Za-z0-9]+_secret_\\w+' },
  // Of Notion, of Doppler, of Dropbox.
  { heads: ['secret_'], rest: '[A-Za-z0-9]{40,}' },
  { heads: ['dp\\.(?:pt|st|ct|sa|scim|audit)\\.'], rest: '(?:[\\w-]+\\.)?[A-Za-z0-9]{40,}' },
  { heads: ['sl\\.B'], rest: '[\\w-]{50,}' },
  // A private key (PEM) in base64.
  { heads: ['LS0tLS1CRUdJTiB(?:QUklW|SU0Eg|FQyBQ|EU0Eg|PUEVO|FTkNS)'], rest: '[A-Za-z0-9+/]+={0,2}' },
  { heads: ['AKIA', 'ASIA', 'ABIA', 'ACCA'], rest: '[A-Z0-9]{16}\\b' },
  { heads: ['AIza'], rest: '[\\w-]{30,}' },
];

/** Of a JSON Web Token, whose parts are joined by dots. */
export const JWT_HEAD = 'eyJ';

/** How all tokens begin: sources of regular expressions. */
export const TOKEN_HEADS: readonly string[] = [...PROVIDER_KEYS.flatMap(({ heads }) => heads), JWT_HEAD];

/** Whether a text begins like a token. */
export const TOKEN_HEAD = new RegExp(`^(?:${TOKEN_HEADS.join('|')})`);

/** The first two characters of all tokens. */
export const TOKEN_HEAD_PAIRS: ReadonlySet<string> = new Set(TOKEN_HEADS.map((head) => head.slice(0, 2)));

/** One of these is in every token: what joins its parts, or what begins one that has none. */
export const TOKEN_SIGNS = '-_.A';
