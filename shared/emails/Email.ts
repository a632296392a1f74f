import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, Table } from 'sequelize-typescript';
import { Id, KeyId, NewKeyId, Text, Timestamp } from '../engine/db';
import type { EmailKind, EmailStatus } from './statuses';

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
  /** When the provider has accepted it; null as long as that is not known. */
  @Timestamp declare sentAt: Date | null;
  @Timestamp declare createdAt: Date;
  @Timestamp declare updatedAt: Date;
  /** Given with the request, with commas between; null: the client's address by then. */
  @Text(1300) declare givenTo: CreationOptional<string | null>;
  @Text(1300) declare cc: CreationOptional<string | null>;
  @Text(2000) declare message: CreationOptional<string | null>;
  @Text(16) declare kind: CreationOptional<EmailKind>;
  /** Of kind `credit_note`: which one of the invoice. */
  @Id declare creditNoteId: CreationOptional<number | null>;
  /** Null for e-mails of earlier versions. */
  @Id declare jobId: CreationOptional<number | null>;
  /** Why it was not sent or not delivered. */
  @Text(64) declare errorCode: CreationOptional<string | null>;
  @Text(1000) declare errorMessage: CreationOptional<string | null>;
  @Timestamp declare deliveredAt: CreationOptional<Date | null>;
  @Timestamp declare openedAt: CreationOptional<Date | null>;
  @Timestamp declare bouncedAt: CreationOptional<Date | null>;
}
