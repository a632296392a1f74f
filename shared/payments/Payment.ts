import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, Table } from 'sequelize-typescript';
import { Decimal, Id, KeyId, NewKeyId, Text, Timestamp } from '../kernel/database/columns';

/** Money received for an invoice; `settles` is what it covers of the total, in the invoice’s currency. */
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
  @Timestamp declare paidAt: Date;
  @Timestamp declare createdAt: Date;
  @Timestamp declare updatedAt: Date;
}
