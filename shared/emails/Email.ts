import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, Table } from 'sequelize-typescript';
import { Id, KeyId, NewKeyId, Text, Timestamp } from '../kernel/database/columns';

export type EmailStatus = 'queued' | 'sending' | 'sent' | 'failed' | 'uncertain' | 'skipped';

/** One message to a client. `sending` is recorded before the provider is called. */
@Table({ tableName: 'emails' })
export class Email extends Model<InferAttributes<Email>, InferCreationAttributes<Email>> {
  @KeyId declare companyId: number;
  @NewKeyId declare id: CreationOptional<number>;
  @Id declare invoiceId: number;
  @Text(191) declare messageId: string;
  @Text(254) declare recipient: string;
  @Text(16) declare status: EmailStatus;
  @Text(255) declare providerMessageId: string | null;
  @Timestamp declare attemptedAt: Date | null;
  @Timestamp declare sentAt: Date | null;
  @Timestamp declare createdAt: Date;
  @Timestamp declare updatedAt: Date;
}
