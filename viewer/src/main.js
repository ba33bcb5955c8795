import { REVISION } from "three";

document.body.dataset.ready = REVISION;
