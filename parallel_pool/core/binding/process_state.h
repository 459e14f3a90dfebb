// The state of the process that pools depend on: forks, and the end of the interpreter.
#pragma once

namespace parallel_pool {

// Call it once, before any pool is made: pools then notice that they are in a forked child.
void WatchForks();
// Larger in a forked child than in its parent.
int ForkGeneration();

// Call it when the interpreter ends, in its main thread, before pools are closed.
void EndInterpreter();
// Whether the interpreter ends and this is not its main thread, but a daemon thread.
bool IsLeftBehind();
// Whether the interpreter ends.
bool IsEnding();

// Whether a signal's handler has raised an exception in this thread, such as Ctrl-C's. Python
// raises KeyboardInterrupt when it runs again. The caller does not hold the GIL.
bool IsInterrupted();

}  // namespace parallel_pool
