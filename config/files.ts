import { resolve } from 'node:path';
import { trimEndSlashes } from './trimEndSlashes';

/** Where PDFs, logos and receipts are kept: a folder, or a bucket of S3 or a compatible store. */
export type FilesConfig = { readonly store: 'local'; readonly dir: string } | S3Config;

export interface S3Config {
  readonly store: 's3';
  readonly bucket: string;
  readonly region: string;
  /** URL of a compatible store; empty means AWS. */
  readonly endpoint: string;
  /** The bucket in the path in place of the host name. */
  readonly forcePathStyle: boolean;
  /** What every object's name begins with, empty or ending in a slash. */
  readonly prefix: string;
  /** Null: what the SDK finds by itself (a role, a profile, `AWS_…`). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
}

export interface FileVariables {
  DATA_DIR: string;
  FILES_DIR: string;
  FILES_STORE: 'local' | 's3';
  S3_BUCKET: string;
  S3_REGION: string;
  S3_ENDPOINT: string;
  S3_FORCE_PATH_STYLE: boolean;
  S3_PREFIX: string;
  S3_ACCESS_KEY_ID: string;
  S3_SECRET_ACCESS_KEY: string;
  RECEIPTS_QUOTA_MB: number;
}

const text = (pattern: string, description: string) => ({ type: 'string', default: '', pattern, description }) as const;

/** Schemas of the variables. */
export const fileVariables = {
  DATA_DIR: { type: 'string', default: '.data' },
  FILES_DIR: { type: 'string', default: '' },
  FILES_STORE: { type: 'string', enum: ['local', 's3'], default: 'local', description: 'one of local, s3' },
  S3_BUCKET: text('^([A-Za-z0-9][A-Za-z0-9._-]{1,62})?$', 'the name of a bucket, for example acme-invoicing'),
  S3_REGION: text('^[a-z0-9-]*$', 'a region, for example eu-central-1'),
  S3_ENDPOINT: text('^(https?://[^\\s/]+.*)?$', 'an http(s) URL, for example https://minio.example.com:9000'),
  S3_FORCE_PATH_STYLE: { type: 'boolean', default: false, description: 'true or false' },
  S3_PREFIX: text('^([A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*/?)?$', 'a folder in the bucket, for example invoicing/'),
  S3_ACCESS_KEY_ID: { type: 'string', default: '' },
  S3_SECRET_ACCESS_KEY: { type: 'string', default: '' },
  RECEIPTS_QUOTA_MB: {
    type: 'integer',
    default: 10_240,
    minimum: 0,
    maximum: 1_000_000_000,
    description: 'MiB of one company, for example 10240, 0 for no limit',
  },
} as const;

/** What is missing for the store that was chosen, each with how to put it right. */
export function missingForFiles(v: FileVariables): string[] {
  if (v.FILES_STORE !== 's3') return [];
  const problems: string[] = [];
  if (!v.S3_BUCKET) problems.push('S3_BUCKET is empty; set the bucket that holds the files, or FILES_STORE=local');
  if (!v.S3_REGION && !v.S3_ENDPOINT) {
    problems.push(
      "S3_REGION is empty; set the bucket's region, for example eu-central-1, or S3_ENDPOINT for a store other than AWS",
    );
  }
  if (Boolean(v.S3_ACCESS_KEY_ID) !== Boolean(v.S3_SECRET_ACCESS_KEY)) {
    const [missing, given] = v.S3_ACCESS_KEY_ID
      ? ['S3_SECRET_ACCESS_KEY', 'S3_ACCESS_KEY_ID']
      : ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];
    problems.push(
      `${missing} is empty and ${given} is not; set both, or neither for the credentials of the machine (role, profile)`,
    );
  }
  return problems;
}

/** Bytes that the receipts of one company may take; Infinity for no limit. */
export function receiptsQuotaBytes({ RECEIPTS_QUOTA_MB: mebibytes }: FileVariables): number {
  return mebibytes === 0 ? Infinity : mebibytes * 1024 * 1024;
}

export function filesConfig(v: FileVariables): FilesConfig {
  if (v.FILES_STORE === 'local') return { store: 'local', dir: resolve(v.FILES_DIR || `${v.DATA_DIR}/files`) };
  return {
    store: 's3',
    bucket: v.S3_BUCKET,
    // Compatible stores sign for a region too, and take whichever is named.
    region: v.S3_REGION || 'us-east-1',
    endpoint: v.S3_ENDPOINT,
    forcePathStyle: v.S3_FORCE_PATH_STYLE,
    prefix: v.S3_PREFIX && `${trimEndSlashes(v.S3_PREFIX)}/`,
    credentials: v.S3_ACCESS_KEY_ID
      ? { accessKeyId: v.S3_ACCESS_KEY_ID, secretAccessKey: v.S3_SECRET_ACCESS_KEY }
      : null,
  };
}
