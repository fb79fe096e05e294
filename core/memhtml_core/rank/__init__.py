"""A request becomes an order."""
