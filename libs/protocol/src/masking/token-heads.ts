/** The length of the shortest token that is recognized by its form. */
export const SHORTEST_TOKEN = 20;

interface TokenKind {
  /** The literal characters that its tokens begin with. */
  readonly heads: readonly string[];
  /** The rest of a token, as the source of a regular expression. */
  readonly rest: string;
}

function heads(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** Keys of providers, by their published formats. This is the only list of prefixes; every search for them is built from it. */
export const PROVIDER_KEYS: readonly TokenKind[] = [
  { heads: heads('sk- sk_ pk- pk_ rk- rk_'), rest: '[\\w-]+' },
  {
    // Code, packages, deployment.
    heads: heads(
      `gho_ ghp_ ghs_ ghu_ ghr_ github_pat_ glpat- glrt- gldt- glptt- glcbt- glsoat- glimt- gloas- glffct- glft- glagent- npm_ pypi- rubygems_
      dckr_pat_ dckr_oat_ CLOJARS_ dop_v1_ doo_v1_ dor_v1_ HRKU- fm1_ fm2_ fo1_ vck_ vcp_ vca_ nfp_ CCIPAT_ CCIPRJ_ bkua_ 
      ATATT3 ATCTT3 ATBB lin_api_ lin_oauth_ ntn_ figd_ figo_ PMAK- dbtu_ dbtc_ pnb_`,
    ),
    rest: '[\\w.-]+',
  },
  {
    // Models.
    heads: heads(
      'gsk_ hf_ api_org_ xai- pplx- r8_ nvapi- pcsk_ lsv2_ tvly- tgp_v1_ jina_ e2b_ dcp_ GOCSPX- ya29. ops_ey sb_secret_ sbp_ ',
    ),
    rest: '[\\w.-]+',
  },
  {
    // Mail, messages, payments, shops.
    heads: heads(
      `SG. xkeysib- xsmtpsib- xapp- xoxa- xoxb- xoxc- xoxd- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- whsec_ shpat_ shpca_ shppa_ shpss_ sq0csp- sq0atp- 
      EAACEdEose0cBA FLWSECK- FLWSECK_TEST- rzp_live_ rzp_test_ shippo_live_ shippo_test_ duffel_live_ duffel_test_ APP_USR- 
      `,
    ),
    rest: '[\\w.-]+',
  },
  {
    // Operation: secrets, logs, databases, analytics.
    heads: heads(
      `hvs. hvb. hvr. dt0c01. dt0s16. glsa_ glc_ sntrys_ sntryu_ NRAK- NRJS- NRII- NRAA- hcaik_ hcbik_ hcamk_ pscale_ phx_ phc_ CFPAT- AGE-SECRET-KEY-1
      sha256~ t1.9eu eyJrIjoi`,
    ),
    rest: '[\\w.-]+',
  },
  // Words may begin like this too, so the whole form must match.
  { heads: heads('SK key- dapi fc-'), rest: '[0-9a-f]{32}\\b' },
  { heads: heads('pul- sqp_ squ_ sqa_ sgp_ slk_'), rest: '(?:local_)?[0-9a-f]{40,64}\\b' },
  { heads: heads('re_'), rest: '[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}' },
  {
    heads: heads('fw_ rnd_ csk- napi_ ico- pnu_ aio_ rdme_ EZAK EZTK AKCp BBFF- LTAI5t'),
    rest: '(?=[A-Za-z]*\\d)[A-Za-z0-9]{18,}\\b',
  },
  { heads: heads('EAAA AQVN fio-u- tk-us- tfp_ sm_aat_'), rest: '(?=[\\w-]*\\d)[\\w-]{35,}' },
  { heads: heads('v1.0-'), rest: '[0-9a-f]{24}-[0-9a-f]{100,}' },
  { heads: heads('live_pub_ test_pub_'), rest: '[0-9a-f]{20,}' },
  // Of Stripe: a secret of one payment.
  { heads: heads('pi_ seti_'), rest: '[A-Za-z0-9]+_secret_\\w+' },
  // Of Notion, of Doppler, of Dropbox, of NuGet.
  { heads: heads('secret_'), rest: '[A-Za-z0-9]{40,}' },
  { heads: heads('dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.'), rest: '(?:[\\w-]+\\.)?[A-Za-z0-9]{40,}' },
  { heads: heads('sl.B sl.u'), rest: '[\\w-]{50,}' },
  { heads: heads('oy2'), rest: '[a-z0-9]{43}\\b' },
  // Of Facebook, of Braintree.
  { heads: heads('EAAB EAAC EAAG EAAM'), rest: '[A-Za-z0-9]{60,}' },
  { heads: heads('access_token$'), rest: '\\w{7,12}\\$[0-9a-z]{16}\\$[0-9a-f]{32}' },
  // A private key (PEM) in base64.
  {
    heads: heads('LS0tLS1CRUdJTi'),
    rest: '(?:BQUklW|BSU0Eg|BFQyBQ|BEU0Eg|BPUEVO|BFTkNS)[A-Za-z0-9+/]+={0,2}',
  },
  { heads: heads('AKIA ASIA ABIA ACCA'), rest: '[A-Z0-9]{16}\\b' },
  { heads: heads('AIza'), rest: '[\\w-]{30,}' },
];

/** A JSON Web Token: parts joined by dots. */
export const JWT_HEAD = 'eyJ';

/** The source of one expression for all of them. */
export const PROVIDER_KEY = PROVIDER_KEYS.map(
  (kind) => `(?:${kind.heads.map((head) => head.replace(/[.$]/g, '\\$&')).join('|')})${kind.rest}`,
).join('|');
