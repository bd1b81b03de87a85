"""Reports: a model as one page to read, with its picture, parameters, equations, energies and equilibrium."""

from visviva.reports.make import report
from visviva.reports.report import Report

__all__ = ["Report", "report"]
