import { readFile } from 'node:fs/promises';
import { createTransport } from 'nodemailer';
import { sampleOf, type Completion, type Sample } from '../measuring/Sample';
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
  const completions: Completion[] = [];
  const end = performance.now() + seconds * 1000;
  const sendUntilEnd = async (): Promise<void> => {
    for (let began = performance.now(); began < end; began = performance.now()) {
      await mailer.sendMail({ ...parts, attachments });
      const at = performance.now();
      completions.push({ at, tookMs: at - began });
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, sendUntilEnd));
  } finally {
    mailer.close();
  }
  return sampleOf(completions, concurrency);
}
