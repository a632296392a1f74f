import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, Table } from 'sequelize-typescript';
import type { EmailKind, EmailStatus } from '../../shared/emails/statuses';
import { Count, Day, Decimal, Flag, Id, KeyId, NewKeyId, Small, Text, Timestamp } from '../../shared/engine/db';
import type { DeliveryStatus } from '../../shared/webhooks';

/** An event: the one record behind feed, timeline and audit. `data` is JSON. */
@Table({ tableName: 'events' })
export class Event extends Model<InferAttributes<Event>, InferCreationAttributes<Event>> {
  @KeyId declare companyId: number;
  @NewKeyId declare id: CreationOptional<number>;
  @Text(64) declare type: string;
  @Text(64) declare actor: string;
  @Text(32) declare subjectType: string;
  @Id declare subjectId: number;
  @Text() declare data: string;
  @Timestamp declare createdAt: Date;
  /** The place in the feed; null until it is given, shortly after the commit. */
  @Id declare seq: CreationOptional<number | null>;
  @Text(128) declare requestId: CreationOptional<string | null>;
}

/** A file that a company has uploaded; its bytes are in the file store under `fileKey`. */
@Table({ tableName: 'stored_files' })
export class StoredFile extends Model<InferAttributes<StoredFile>, InferCreationAttributes<StoredFile>> {
  @KeyId declare companyId: number;
  @NewKeyId declare id: CreationOptional<number>;
  @Text(191) declare fileKey: string;
  @Text(16) declare kind: string;
  @Text(100) declare contentType: string;
  @Id declare size: number;
  /** When its bytes were certainly in the store; null: not yet, or never. */
  @Timestamp declare storedAt: Date | null;
  @Timestamp declare createdAt: Date;
  @Timestamp declare updatedAt: Date;
  /** Never removed: a receipt, or a logo that a sent invoice shows. */
  @Flag declare isKept: CreationOptional<boolean>;
  /** When a file that is not kept became unused. Null: it is in use. */
  @Timestamp declare unusedSince: CreationOptional<Date | null>;
}

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

/** A document that corrects an invoice. Its subtotal is the sum of its items; it is never changed. */
@Table({ tableName: 'credit_notes', updatedAt: false })
export class CreditNote extends Model<InferAttributes<CreditNote>, InferCreationAttributes<CreditNote>> {
  @KeyId declare companyId: number;
  @NewKeyId declare id: CreationOptional<number>;
  @Id declare invoiceId: number;
  @Text(50) declare creditNoteNumber: string;
  @Day declare issueDate: string;
  @Text(500) declare reason: string;
  @Text() declare notes: string;
  @Decimal() declare subtotal: string;
  @Decimal() declare tax: string;
  @Decimal() declare total: string;
  @Text(3) declare currency: string;
  @Timestamp declare createdAt: Date;
}

/** One event for one endpoint, or one replay of it. */
@Table({ tableName: 'webhook_deliveries' })
export class WebhookDelivery extends Model<InferAttributes<WebhookDelivery>, InferCreationAttributes<WebhookDelivery>> {
  @KeyId declare companyId: number;
  @NewKeyId declare id: CreationOptional<number>;
  @Id declare endpointId: number;
  /** The id of the event in the feed; null for a test. */
  @Id declare eventId: number | null;
  @Text(64) declare type: string;
  @Flag declare isReplay: boolean;
  @Text(16) declare status: DeliveryStatus;
  @Count declare attempts: CreationOptional<number>;
  /** Of a pending delivery: when it is sent next. Years before `createdAt` for an event that was never sent, so that it comes first. */
  @Timestamp declare nextAttemptAt: Date | null;
  @Small declare responseStatus: number | null;
  /** The first 1,024 bytes. */
  @Text(1024) declare responseBody: string | null;
  /** Why there was no response. */
  @Text(64) declare errorCode: string | null;
  @Count declare durationMs: number | null;
  @Timestamp declare createdAt: Date;
  @Timestamp declare endedAt: Date | null;
}

export const testModels = [CreditNote, Email, Event, StoredFile, WebhookDelivery];
