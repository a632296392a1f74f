import { serveTasks } from '../../dev/tasks/serveTasks';
import { driveLoad } from './driveLoad';

serveTasks(driveLoad);
