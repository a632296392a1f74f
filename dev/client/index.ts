import { join } from 'node:path';
import { projectRoot } from '../../config/paths';
import { generateClient, generatedFolder } from './generateClient';

void generateClient(join(projectRoot, generatedFolder));
