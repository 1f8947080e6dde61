package crseval.client;

import crseval.generated.model.Problem;
import crseval.generated.model.ProblemError;

/** The service told a problem, or no answer came; then the status is 0 and the problem null. */
public final class CrsEvalException extends Exception {
  private static final long serialVersionUID = 1L;
  private final int status;
  private final transient Problem problem;

  CrsEvalException(int status, Problem problem, String otherwise, Throwable cause) {
    super(message(status, problem, otherwise), cause);
    this.status = status;
    this.problem = problem;
  }

  /** The status of the answer. */
  public int status() {
    return status;
  }

  /** What is wrong and how to fix it; null where a proxy answered in the service's place. */
  public Problem problem() {
    return problem;
  }

  private static String message(int status, Problem problem, String otherwise) {
    if (problem == null) {
      return status + " " + otherwise;
    }
    StringBuilder said = new StringBuilder().append(status).append(' ').append(problem.getDetail());
    for (ProblemError error : problem.getErrors()) {
      said.append("\n  ").append(error.getPointer()).append(": ").append(error.getDetail());
      said.append("; ").append(error.getFix());
    }
    return said.toString();
  }
}
