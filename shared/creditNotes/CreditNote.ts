import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, Table } from 'sequelize-typescript';
import { Day, Decimal, Id, KeyId, NewKeyId, Text, Timestamp } from '../engine/db';

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
