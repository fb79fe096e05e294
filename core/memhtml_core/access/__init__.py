"""The state plane; reinforce is its only writer."""
