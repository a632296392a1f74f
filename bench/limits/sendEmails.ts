import { readFile } from 'node:fs/promises';
import { createTransport } from 'nodemailer';
import { type Sample, sampleOfLoop } from '../measuring/Sample';
import { serveTasks } from '../../dev/tasks/serveTasks';

export interface EmailTask {
  smtpUrl: string;
  /** Messages in progress at the same time. */
  concurrency: number;
  /** Connections of the pool. */
  connections: number;
  seconds: number;
  message: { from: string; to: string; subject: string; text: string; html: string; pdfFile: string };
}

serveTasks(sendEmails);

/** Sends the same message repeatedly through nodemailer's pool. Records nothing. */
async function sendEmails({ smtpUrl, concurrency, connections, seconds, message }: EmailTask): Promise<Sample> {
  const { pdfFile, ...parts } = message;
  const attachments = [{ filename: 'invoice.pdf', contentType: 'application/pdf', content: await readFile(pdfFile) }];
  const mailer = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: connections,
    maxMessages: Infinity,
    ignoreTLS: true,
  });
  try {
    return await sampleOfLoop(concurrency, seconds, () => mailer.sendMail({ ...parts, attachments }));
  } finally {
    mailer.close();
  }
}
