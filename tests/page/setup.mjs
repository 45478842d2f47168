import { makeAll } from './clips.mjs'

export default makeAll
