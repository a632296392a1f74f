import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, Table } from 'sequelize-typescript';
import { Day, Email, NewKeyId, Text, Timestamp } from '../engine/db';

/** The tenant and the sender of its invoices. */
@Table({ tableName: 'companies' })
export class Company extends Model<InferAttributes<Company>, InferCreationAttributes<Company>> {
  @NewKeyId declare id: CreationOptional<number>;
  @Text(255) declare name: string;
  @Email declare email: string | null;
  @Text(50) declare phone: string | null;
  @Text(1000) declare address: string | null;
  @Text(100) declare taxId: string | null;
  @Text(3) declare currency: string;
  @Text(35) declare locale: string;
  @Text(64) declare timezone: string;
  @Text(50) declare invoiceNumberFormat: string;
  @Text(50) declare creditNoteNumberFormat: CreationOptional<string>;
  /** `#rrggbb`. */
  @Text(7) declare brandColor: CreationOptional<string | null>;
  @Text(1000) declare paymentInstructions: CreationOptional<string | null>;
  /** Of its payment links; null: the installation's default. */
  @Text(32) declare gatewayProvider: CreationOptional<string | null>;
  @Text(191) declare logoKey: string | null;
  @Timestamp declare overdueCheckAt: CreationOptional<Date>;
  /** A JSON array. */
  @Text(100) declare reminderDays: CreationOptional<string>;
  /** The last day whose reminders have been recorded. */
  @Day declare remindedUntil: CreationOptional<string | null>;
  /** When reminders are due next; null where there are none. */
  @Timestamp declare reminderCheckAt: CreationOptional<Date | null>;
  /** Of a sandbox: the last day that it asked its calendar for; null for every other company. */
  @Day declare sandboxDay: CreationOptional<string | null>;
  @Timestamp declare createdAt: Date;
  @Timestamp declare updatedAt: Date;
}
