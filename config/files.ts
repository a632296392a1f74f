import { resolve } from 'node:path';
import { flag, httpUrl, matching, oneOf, text } from './kinds';
import { trimEndSlashes } from './trimEndSlashes';
import { readBy, type Environment, type Requirement, type ValuesOf } from './variable';

/** Where PDFs, logos and receipts are kept: a folder, or a bucket of S3 or a compatible store. */
export type FilesConfig = { readonly store: 'local'; readonly dir: string } | S3Config;

export interface S3Config {
  readonly store: 's3';
  readonly bucket: string;
  readonly region: string;
  /** URL of a compatible store; empty means AWS. */
  readonly endpoint: string;
  /** The bucket is named in the path instead of the host name. */
  readonly forcePathStyle: boolean;
  /** The beginning of every object's name: empty, or ending in a slash. */
  readonly prefix: string;
  /** Null: the SDK finds credentials itself (a role, a profile, `AWS_…`). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
}

const forAll = readBy('api', 'worker', 'tool');

const inBucket = ({ textOf }: Environment): boolean => textOf('FILES_STORE') === 's3';

/** Variables of the file store. */
export const files = {
  dataDir: forAll(
    'DATA_DIR',
    text('a folder'),
    '.data',
    'All state of `npm start`. Elsewhere only the default of `FILES_DIR`.',
  ),
  store: forAll(
    'FILES_STORE',
    oneOf(['local', 's3']),
    'local',
    'Where PDFs, logos and receipts are kept: the folder `FILES_DIR`, or a bucket of S3 or a compatible store.',
  ),
  dir: forAll(
    'FILES_DIR',
    text('a folder, for example /var/lib/invoicing'),
    '',
    'The folder of `FILES_STORE=local`. The API and all workers must see the same one. Empty: `$DATA_DIR/files`.',
  ),
  bucket: forAll(
    'S3_BUCKET',
    matching(/^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/, 'the name of a bucket, for example acme-invoicing'),
    '',
    'The bucket that holds the files.',
    {
      required: {
        where: 'with `FILES_STORE=s3`',
        applies: inBucket,
        remedy: '; set the bucket that holds the files, or FILES_STORE=local',
      },
    },
  ),
  region: forAll(
    'S3_REGION',
    matching(/^[a-z0-9-]+$/, 'a region, for example eu-central-1'),
    '',
    'The region of the bucket.',
    {
      required: {
        where: 'with `FILES_STORE=s3` and no `S3_ENDPOINT`',
        applies: (environment) => inBucket(environment) && environment.textOf('S3_ENDPOINT') === '',
        remedy: "; set the bucket's region, for example eu-central-1, or S3_ENDPOINT for a store other than AWS",
      },
    },
  ),
  endpoint: forAll(
    'S3_ENDPOINT',
    httpUrl('https://minio.example.com:9000'),
    '',
    'URL of a compatible store (MinIO, R2, Spaces …). Empty: AWS.',
  ),
  forcePathStyle: forAll(
    'S3_FORCE_PATH_STYLE',
    flag,
    'false',
    '`true` puts the name of the bucket into the path of the URL. MinIO and other compatible stores need it.',
  ),
  prefix: forAll(
    'S3_PREFIX',
    matching(/^[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*\/?$/, 'a folder in the bucket, for example invoicing/'),
    '',
    'A folder in the bucket, for a bucket that holds other files too.',
  ),
  accessKeyId: forAll(
    'S3_ACCESS_KEY_ID',
    text('a key, AKIA…'),
    '',
    'The access key. Without a key and its secret: the credentials of the machine (a role, a profile, `AWS_…` variables).',
    { required: togetherWith('S3_SECRET_ACCESS_KEY') },
  ),
  secretAccessKey: forAll('S3_SECRET_ACCESS_KEY', text('a secret'), '', 'The secret of the access key.', {
    secret: true,
    required: togetherWith('S3_ACCESS_KEY_ID'),
  }),
};

/** The access key and its secret must be set together. */
function togetherWith(other: string): Requirement {
  return {
    where: `with \`${other}\``,
    applies: (environment) => inBucket(environment) && environment.textOf(other) !== '',
    remedy: ` and ${other} is not; set both, or neither for the credentials of the machine (role, profile)`,
  };
}

/** Returns the store that the variables name. */
export function filesConfig(v: ValuesOf<typeof files>): FilesConfig {
  if (v.store === 'local') return { store: 'local', dir: resolve(v.dir || `${v.dataDir}/files`) };
  return {
    store: 's3',
    bucket: v.bucket,
    // Compatible stores need a region to verify signatures, and accept any.
    region: v.region || 'us-east-1',
    endpoint: v.endpoint,
    forcePathStyle: v.forcePathStyle,
    prefix: v.prefix && `${trimEndSlashes(v.prefix)}/`,
    credentials: v.accessKeyId ? { accessKeyId: v.accessKeyId, secretAccessKey: v.secretAccessKey } : null,
  };
}
