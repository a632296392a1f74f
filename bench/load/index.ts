import { serveMeasurements } from '../measuring/serveMeasurements';
import { driveLoad } from './driveLoad';

serveMeasurements(driveLoad);
