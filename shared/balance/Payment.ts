import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, Table } from 'sequelize-typescript';
import { Decimal, Id, KeyId, NewKeyId, Text, Timestamp } from '../engine/db';

/**
 * Money received for an invoice, by one of its links or elsewhere (no link). `settles` is the part of the total that it covers: 0 in
 * another currency, and for a link the amount before the gateway's rounding. A voided payment does not count. `flags` is a JSON array.
 */
@Table({ tableName: 'payments' })
export class Payment extends Model<InferAttributes<Payment>, InferCreationAttributes<Payment>> {
  @KeyId declare companyId: number;
  @NewKeyId declare id: CreationOptional<number>;
  @Id declare invoiceId: number;
  @Id declare paymentLinkId: number | null;
  @Text(191) declare gatewayId: string | null;
  @Decimal() declare amount: string;
  @Decimal() declare settles: string;
  @Text(3) declare currency: string;
  @Text(64) declare method: string | null;
  @Text(255) declare reference: string | null;
  @Text(1000) declare note: string | null;
  @Text(150) declare flags: CreationOptional<string>;
  @Decimal() declare refundedAmount: CreationOptional<string>;
  @Timestamp declare disputedAt: CreationOptional<Date | null>;
  @Timestamp declare voidedAt: CreationOptional<Date | null>;
  @Timestamp declare paidAt: Date;
  @Timestamp declare createdAt: Date;
  @Timestamp declare updatedAt: Date;
}
