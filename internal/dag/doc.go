// Package dag holds no code: its test keeps the imports of this module a
// directed acyclic graph of layers, the one in table below, and keeps the pure
// packages pure.
//
// A layer imports lower layers only, so a change can be read from the bottom
// up, and a package can be tested with nothing above it. Some arrows are
// forbidden although they point down: the simulator must not know how prompts
// are made (it would then fit our prompts instead of reading them), and no
// dialect or notifier knows another. A package that the table does not name
// fails the test: give it a layer in the change that adds it.
package dag
